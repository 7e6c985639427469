"""What r2n is compared with, each behind one small interface."""
