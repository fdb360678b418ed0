import type { Settings } from '../../definition/definition.ts'

/**
 * Returns a function that computes its result once for a key and an object of settings, as long as both are there. Both
 * must not change.
 */
export const perSettings = <Key extends object, Result>(compute: (key: Key, settings: Settings) => Result) => {
  const results = new WeakMap<Key, WeakMap<Settings, Result>>()
  return (key: Key, settings: Settings): Result => {
    const ofKey = results.get(key) ?? new WeakMap<Settings, Result>()
    results.set(key, ofKey)
    if (!ofKey.has(settings)) ofKey.set(settings, compute(key, settings))
    return ofKey.get(settings) as Result
  }
}
