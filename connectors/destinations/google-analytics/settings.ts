import { defineSettings, type SettingsOf, setting } from '@tributary/connector-kit'
import { withoutConsent } from '../../wire/conversions/consent-setting.ts'
import {
  checkDefaults,
  defaultCountrySetting,
  defaultCurrencySetting,
} from '../../wire/conversions/default-settings.ts'

export const settings = defineSettings({
  stream: setting.choice({
    label: 'Data stream',
    help: 'A web stream has a measurement ID, and an app stream has the ID of a Firebase app.',
    required: true,
    default: 'web',
    choices: [
      { value: 'web', label: 'Web' },
      { value: 'app', label: 'App (iOS or Android)' },
    ],
  }),
  measurement_id: setting.text({
    label: 'Measurement ID',
    help: 'Of the web data stream. It begins with G-.',
    maxLength: 30,
    showWhen: { field: 'stream', value: 'web' },
  }),
  firebase_app_id: setting.text({
    label: 'Firebase app ID',
    help: 'Of the app, under Project settings of the Firebase console. It is not the app instance ID.',
    maxLength: 100,
    showWhen: { field: 'stream', value: 'app' },
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
  ...defaultCurrencySetting,
  ...defaultCountrySetting,
  lower_case_names: setting.toggle({
    label: 'Event names in lower case',
    help: 'Google Analytics counts Purchase and purchase as two events. Turn it on to send purchase for both.',
    default: false,
  }),
  debug_mode: setting.toggle({
    label: 'Debug mode',
    help: 'Shows the events in DebugView of Google Analytics, to try the set-up. They count all the same.',
    default: false,
  }),
})

export type AnalyticsSettings = SettingsOf<typeof settings>

const firebaseApp = /^\d{1,4}:\d{1,30}:(?:ios|android):[0-9a-f]{4,64}$/i

/** Checks rules that span several settings. */
export const check = ({
  measurement_id,
  firebase_app_id,
  ...others
}: Partial<AnalyticsSettings>): Record<string, string> => ({
  ...(measurement_id === undefined || /^G-[A-Z0-9]{4,20}$/i.test(measurement_id.trim())
    ? {}
    : { measurement_id: 'Enter the measurement ID, such as G-A1B2C3D4E5' }),
  ...(firebase_app_id === undefined || firebaseApp.test(firebase_app_id.trim())
    ? {}
    : { firebase_app_id: 'Enter the ID of the Firebase app, such as 1:1234567890:ios:321abc456def7890' }),
  ...checkDefaults(others),
})
