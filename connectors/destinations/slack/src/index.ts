export { slack } from './definition.ts'
