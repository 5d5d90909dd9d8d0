"""The verifier that travels in every evidence bundle. Imports nothing of this project and is imported by nothing but tests."""
