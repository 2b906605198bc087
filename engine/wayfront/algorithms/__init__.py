"""Every algorithm: a folder for each family. The registry imports what it finds here, so nothing is listed twice."""
