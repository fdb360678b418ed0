import { defineSettings, type SettingsOf, setting } from '@tributary/connector-kit'
import { withoutConsent } from '../../wire/conversions/consent-setting.ts'

export const settings = defineSettings({
  measurement_id: setting.text({
    label: 'Measurement ID',
    help: 'Of the web data stream. It begins with G-.',
    required: true,
    maxLength: 30,
  }),
  api_secret: setting.secret({
    label: 'API secret',
    help: 'A Measurement Protocol API secret of the data stream. Stored encrypted.',
    required: true,
    maxLength: 200,
    sentTo: [{ setting: 'region', by: 'value' }],
  }),
  region: setting.choice({
    label: 'Region',
    help: 'Where Google collects the events.',
    required: true,
    default: 'global',
    choices: [
      { value: 'global', label: 'Global' },
      { value: 'eu', label: 'European Union' },
    ],
  }),
  without_consent: withoutConsent,
  debug_mode: setting.toggle({
    label: 'Debug mode',
    help: 'Shows the events in DebugView of Google Analytics, to try the set-up. They count all the same.',
    default: false,
  }),
})

export type AnalyticsSettings = SettingsOf<typeof settings>

/** Checks rules that span several settings. */
export const check = ({ measurement_id }: Partial<AnalyticsSettings>): Record<string, string> =>
  measurement_id === undefined || /^G-[A-Z0-9]{4,20}$/i.test(measurement_id.trim())
    ? {}
    : { measurement_id: 'Enter the measurement ID, such as G-A1B2C3D4E5' }
