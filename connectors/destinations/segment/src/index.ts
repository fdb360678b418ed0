export { segment } from './definition.ts'
