"""Files and folders in: recognise, parse, append, index, progress. Every line of a file ends in exactly one disposition."""
