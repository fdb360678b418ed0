export { webhook } from './definition.ts'
