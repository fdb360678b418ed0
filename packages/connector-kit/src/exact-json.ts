/** Exact parsing of JSON, for threads that need nothing else of this package. */
export { isJsonObject, parseExactJson } from '@tributary/kernel'
