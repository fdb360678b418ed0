export { rudderstack } from './definition.ts'
