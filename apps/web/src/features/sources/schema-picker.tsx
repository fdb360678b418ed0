import type { SchemaTemplate, Source } from '@tributary/contract'
import { FileJson2, LayoutTemplate } from 'lucide-react'
import { mediaUrl } from '../../lib/api/media.ts'
import { PickerField } from '../../ui/forms/picker.tsx'
import { isCreating } from './mutations.ts'

/** The size of every app logo (UI-43). */
const thumbnail = { maxWidth: 32, maxHeight: 32 } as const

/** Selects the first schema of a new source: a template, or the schema of another source. */
export const SchemaPicker = ({
  templates,
  sources,
}: {
  templates: readonly SchemaTemplate[]
  sources: readonly Source[]
}) => (
  <PickerField
    name="schema"
    label="Schema"
    required
    hint="Choose a schema template to start with or create from scratch."
    placeholder="Select a schema template"
    groups={[
      {
        heading: 'From templates',
        entries: templates.map((template, index) => ({
          value: template.name,
          title: template.title,
          description: template.description,
          icon: index === 0 ? <FileJson2 /> : <LayoutTemplate />,
        })),
      },
      {
        heading: 'From existing sources',
        entries: sources
          .filter((source) => !isCreating(source))
          .map((source) => ({
            value: source.name,
            title: source.title,
            description: source.app.display_name,
            icon: <img src={mediaUrl(source.app.extra.app_icon, thumbnail)} alt="" className="max-h-5 max-w-5" />,
          })),
      },
    ]}
  />
)
