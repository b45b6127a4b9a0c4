import { applyTheme, chosenTheme } from './theme-choice.js';

// Runs before the first paint, so that the other theme does not flash.
applyTheme(chosenTheme());
