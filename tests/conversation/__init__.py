"""Tests of app/conversation."""
