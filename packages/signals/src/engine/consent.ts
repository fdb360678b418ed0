import type { Consent } from '@tributary/connector-kit'
import type { SignalSettings } from '@tributary/contract'

/** Returns the reason why a conversion is not sent; undefined if the person's consent allows it. */
export const consentReason = (
  consent: Consent,
  { without_consent }: Pick<SignalSettings, 'without_consent'>,
  { withdrawn, takesDenied }: { withdrawn: boolean; takesDenied: boolean },
): 'no_consent' | 'consent_unknown' | 'consent_withdrawn' | undefined => {
  if (withdrawn) return 'consent_withdrawn'
  // A platform that honors a denial gets the conversion together with the denial.
  if (consent === 'denied') return takesDenied ? undefined : 'no_consent'
  return consent === 'none' && without_consent === 'leave_out' ? 'consent_unknown' : undefined
}
