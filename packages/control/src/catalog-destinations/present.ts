import type { DestinationDefinition, FieldDefinition } from '@tributary/connector-kit'
import { type CatalogDestination, resourceNames, type SettingOption } from '@tributary/contract'
import { iconAddress } from '../catalog-sources/present.ts'

/** How a setting is asked for, as the wire shows it. */
export const presentOption = (field: FieldDefinition): SettingOption => ({
  name: field.name,
  display_name: field.label,
  help_text: field.help,
  type: field.type,
  required: field.required,
  default: field.default ?? null,
  editable: field.editable,
  is_secret: field.secret,
  choices: (field.choices ?? []).map(({ value, label }) => ({ value, title: label })),
  min: field.min ?? null,
  max: field.max ?? null,
  show_when: field.showWhen === undefined ? null : { name: field.showWhen.field, value: field.showWhen.value },
})

/** An entry of the destination catalogue as the wire shows it. */
export const presentCatalogDestination = (
  definition: DestinationDefinition,
  instanceCount: number,
): CatalogDestination => ({
  name: resourceNames.catalogDestination.format({ app: definition.slug }),
  title: definition.title,
  display_name: definition.title,
  description: definition.description,
  docs_url: definition.docs.url,
  instance_count: instanceCount,
  extra: { app_icon: iconAddress(definition.logo) },
  guide: definition.docs.steps.map(({ title, text }) => ({ title, text, code: '', language: '' })),
  settings: definition.fields.map(presentOption),
})
