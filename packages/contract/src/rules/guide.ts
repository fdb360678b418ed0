import type { GuideStep } from './catalog.ts'

/** The placeholder of a write key that is not available yet. */
export const missingKey = 'YOUR_WRITE_KEY'

/** Replaces the placeholders of a guide's texts and code by the reader's own origin and write key. */
export const fillGuide = (
  steps: readonly GuideStep[],
  values: { origin: string; writeKey: string | undefined },
): GuideStep[] => {
  const { origin, writeKey = missingKey } = values
  const own = new Map([
    ['origin', origin],
    ['host', origin.replace(/^https?:\/\//, '')],
    ['insecure', String(origin.startsWith('http:'))],
    ['writeKey', writeKey],
  ])
  const fill = (text: string): string =>
    text.replaceAll(/\{\{\s*(\w+)\s*\}\}/g, (whole, name: string) => own.get(name) ?? whole)
  return steps.map((step) => ({ ...step, text: fill(step.text), code: fill(step.code) }))
}
