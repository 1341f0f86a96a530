"""Files and git revisions that the commands read, and files that they write."""
