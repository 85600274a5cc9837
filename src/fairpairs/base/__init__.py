"""What all wings stand on: errors, arguments, texts, files, a user's tables, style."""
