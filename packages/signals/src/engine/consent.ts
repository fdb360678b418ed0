import type { Consent } from '@tributary/connector-kit'
import type { SignalSettings } from '@tributary/contract'

/** The reason why a conversion is not sent without consent; undefined if it may be sent. */
export const consentReason = (
  consent: Consent,
  { without_consent }: Pick<SignalSettings, 'without_consent'>,
  { withdrawn, takesDenied }: { withdrawn: boolean; takesDenied: boolean },
): 'no_consent' | 'consent_unknown' | 'consent_withdrawn' | undefined => {
  if (withdrawn) return 'consent_withdrawn'
  // Sends the denial to a platform that honors it.
  if (consent === 'denied') return takesDenied ? undefined : 'no_consent'
  return consent === 'none' && without_consent === 'leave_out' ? 'consent_unknown' : undefined
}
