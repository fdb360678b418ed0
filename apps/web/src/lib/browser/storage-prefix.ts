/** Name under which the product's browser storage is kept. */
export const storagePrefix = 'tributary'
