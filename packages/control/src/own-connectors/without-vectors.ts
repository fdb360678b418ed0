import type { OwnConnector, OwnConnectorVersion } from '@tributary/contract'
import { isRecord } from '@tributary/kernel'

/**
 * Returns a description without its test vectors, which may have values of people. A text that is no JSON object is left out
 * completely.
 */
export const withoutVectors = (description: string): string => {
  try {
    const given: unknown = JSON.parse(description)
    if (!isRecord(given)) return ''
    const { vectors: _, ...others } = given
    return JSON.stringify(others, null, 2)
  } catch {
    return ''
  }
}

/** Returns an own connector as those see it who see no values of people. */
export const maskOwnConnector = (own: OwnConnector): OwnConnector => ({
  ...own,
  draft: { ...own.draft, description: withoutVectors(own.draft.description) },
})

/** Returns a version as those see it who see no values of people. */
export const maskVersion = (version: OwnConnectorVersion): OwnConnectorVersion => ({
  ...version,
  description: withoutVectors(version.description),
})
