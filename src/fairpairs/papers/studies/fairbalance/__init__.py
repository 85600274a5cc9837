"""The study of the paper on FairBalance: one experiment."""
