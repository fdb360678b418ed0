export { s3 } from './definition.ts'
