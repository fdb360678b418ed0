/** The part of the kernel that also runs in a browser: nothing here needs Node. */
export * from './access.ts'
export * from './actor.ts'
export * from './clock.ts'
export * from './errors.ts'
export * from './exact-json.ts'
export * from './flags.ts'
export * from './record.ts'
export * from './retry-policy.ts'
