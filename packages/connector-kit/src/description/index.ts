/** Destinations that are described by data, for the modules that load them. */
export * from './define-described.ts'
export { description } from './format/schema.ts'
export { descriptionProblems, type Normalizations } from './problems/description-problems.ts'
