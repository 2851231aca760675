/** The version of the program. A test checks that package.json has the same. */
export const VERSION = '0.1.0'
