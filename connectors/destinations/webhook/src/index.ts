export { exampleBody, webhook } from './definition.ts'
