/** Destinations that are described by data, for the modules that load them. */
export * from './define-described.ts'
export { descriptionProblems, type Normalizations } from './description-problems.ts'
export { description } from './schema.ts'
