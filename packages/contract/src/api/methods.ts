import type { Method } from './method.ts'
import * as methods from './method-groups.ts'

/** Every call of the API by resource and verb: `methods.sources.list`. */
export * as methods from './method-groups.ts'
export type Methods = typeof methods

/** All methods in one list. */
export const methodList: readonly Method[] = Object.values(methods).flatMap((group): Method[] => Object.values(group))
