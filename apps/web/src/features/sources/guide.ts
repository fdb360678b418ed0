import type { GuideStep } from '@tributary/contract'

/** What stands for the key where none can be filled in yet. */
export const missingKey = 'YOUR_WRITE_KEY'

/** A guide with the reader's own origin and write key in its texts and code. */
export const fillGuide = (
  steps: readonly GuideStep[],
  values: { origin: string; writeKey: string | undefined },
): GuideStep[] => {
  const fill = (text: string): string =>
    text.replaceAll(/\{\{\s*(origin|host|writeKey)\s*\}\}/g, (_whole, name: string) =>
      name === 'origin'
        ? values.origin
        : name === 'host'
          ? values.origin.replace(/^https?:\/\//, '')
          : (values.writeKey ?? missingKey),
    )
  return steps.map((step) => ({ ...step, text: fill(step.text), code: fill(step.code) }))
}

/** A key with all but its first four characters hidden. */
export const maskKey = (key: string): string => `${key.slice(0, 4)}${'•'.repeat(16)}`
