"""One reader of all files and tables that users give: what is read is what was written."""
