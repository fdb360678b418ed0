export { postgresql } from './definition.ts'
