import { setting } from '@tributary/connector-kit'
import { withoutConsent } from './consent-setting.ts'

/** The settings of a pixel's events beside its ID, as each platform has them. */
export const pixelSettings = ({ platform, api, limit }: { platform: string; api: string; limit: string }) => ({
  access_token: setting.secret({
    label: 'Access token',
    help: `Generated in the settings of the pixel, under ${api}. Stored encrypted.`,
    required: true,
    // It is sent to the address of the platform, whatever the settings.
    sentTo: [],
  }),
  test_event_code: setting.text({
    label: 'Test event code',
    help: 'From Test events in the Events Manager. With it, nothing counts: remove it when you are done.',
    maxLength: 50,
  }),
  without_consent: withoutConsent,
  limited_data_use: setting.toggle({
    label: limit,
    help: `Has ${platform} limit how it uses data of people in US states that ask for it.`,
    default: false,
  }),
})
