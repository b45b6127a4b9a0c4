import { applyTheme, chosenTheme } from './theme-choice.js';

// Runs before the page is drawn, so that nobody sees the other colours flash by.
applyTheme(chosenTheme());
