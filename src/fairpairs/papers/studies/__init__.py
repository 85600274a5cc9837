"""What is studied: a folder per paper, and one for the calibration of the tests."""
