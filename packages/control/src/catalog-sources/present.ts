import type { SourceDefinition } from '@tributary/connector-kit'
import { type CatalogSource, resourceNames } from '@tributary/contract'
import { presentOption } from '../app-settings/present-setting.ts'

/** A connector's picture as an address that needs no request. */
export const iconAddress = (svg: string): string => `data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}`

/** An entry of the source catalogue as the wire shows it. */
export const presentCatalogSource = (definition: SourceDefinition, instanceCount: number): CatalogSource => ({
  name: resourceNames.catalogSource.format({ app: definition.slug }),
  title: definition.title,
  display_name: definition.title,
  description: definition.description,
  docs_url: definition.docsUrl ?? '',
  instance_count: instanceCount,
  has_predefined_schema: definition.predefinedSchema !== undefined,
  extra: { app_icon: iconAddress(definition.logo) },
  settings: (definition.fields ?? []).map(presentOption),
  type: definition.type,
  target_product: definition.targetProduct ?? 'CDP',
  guide: definition.guide.map((step) => ({
    title: step.title,
    text: step.text,
    code: step.code ?? '',
    language: step.language ?? '',
  })),
})
