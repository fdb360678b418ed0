/** The prefix of the product's keys in the browser storage. */
export const storagePrefix = 'tributary'
