import { defineSettings, type SettingsOf, setting } from '@tributary/connector-kit'

export const settings = defineSettings({
  project_token: setting.secret({
    label: 'Project token',
    help: 'From your project settings in Mixpanel. Stored encrypted.',
    required: true,
    maxLength: 100,
    sentTo: [{ setting: 'region', by: 'value' }],
  }),
  region: setting.choice({
    label: 'Data residency',
    help: 'Where Mixpanel stores your project. Its settings show it.',
    required: true,
    default: 'us',
    choices: [
      { value: 'us', label: 'United States' },
      { value: 'eu', label: 'European Union' },
      { value: 'in', label: 'India' },
    ],
  }),
  identity: setting.choice({
    label: 'ID merge',
    help: 'How your project merges users. Find it in its settings under Identity Merge.',
    required: true,
    default: 'simplified',
    choices: [
      { value: 'simplified', label: 'Simplified' },
      { value: 'original', label: 'Original' },
    ],
  }),
  group_key: setting.text({
    label: 'Group key',
    help: 'The group key of your project, for group calls and for the groups of events. Mixpanel needs Group Analytics for it.',
    default: 'company',
    maxLength: 255,
  }),
  gdpr_token: setting.secret({
    label: 'GDPR API token',
    help: 'If set, users who are deleted in Tributary are deleted in Mixpanel, too. Stored encrypted.',
    maxLength: 500,
    sentTo: [{ setting: 'region', by: 'value' }],
  }),
})

export type MixpanelSettings = SettingsOf<typeof settings>
