import { useQuery } from '@tanstack/react-query'
import { conversionNames, type Source, standardConversions } from '@tributary/contract'
import { Plus, X } from 'lucide-react'
import { useId, useMemo } from 'react'
import { ConditionBuilder } from '../../../components/condition-builder.tsx'
import { conditionFields } from '../../../components/mapping/mapping-draft.ts'
import { QueryView } from '../../../components/query-view.tsx'
import { useFlag } from '../../../lib/integrations/flags.ts'
import { paths } from '../../../lib/paths.ts'
import { audiencesQuery } from '../../../lib/queries/audience-queries.ts'
import { allSourcesQuery } from '../../../lib/queries/workspace-queries.ts'
import { useWorkspace } from '../../../lib/workspace.ts'
import { AppIcon } from '../../../ui/app-icon.tsx'
import { Badge } from '../../../ui/badge.tsx'
import { Button, ButtonLink } from '../../../ui/button.tsx'
import { Field, FieldError } from '../../../ui/forms/field.tsx'
import { SearchMenu, SearchSelect } from '../../../ui/forms/search-select.tsx'
import { IconButton } from '../../../ui/icon-button.tsx'
import { Skeleton } from '../../../ui/page/skeleton.tsx'
import { withEvents } from '../draft.ts'
import { EventList } from './event-list.tsx'
import type { FieldsProps } from './fields-props.ts'
import { RadioCards } from './radio-cards.tsx'
import { useEventFields } from './use-event-fields.ts'

/** Names of the commerce schema that usually are conversions. */
const usualNames = [
  ...new Set(standardConversions.flatMap((type) => (type === 'custom' ? [] : conversionNames[type].events))),
]

const isOfSignals = ({ target_product }: Pick<Source, 'target_product'>): boolean => target_product === 'SIGNALS'

const ChosenSource = ({
  source,
  disabled,
  onRemove,
}: {
  /** Undefined if the source was deleted. */
  source: Source | undefined
  disabled: boolean
  onRemove: () => void
}) => {
  const title = source?.title ?? 'Deleted source'
  return (
    <li className="flex min-h-11 items-center gap-3 px-3">
      {source !== undefined && <AppIcon icon={source.app.extra.app_icon} className="size-6" />}
      <span className="min-w-0 flex-1 truncate text-sm font-medium" title={title}>
        {title}
      </span>
      {source !== undefined && isOfSignals(source) && <Badge tone="accent">Signal source</Badge>}
      {!disabled && <IconButton label={`Remove ${title}`} icon={X} onClick={onRemove} />}
    </li>
  )
}

const Sources = ({ draft, problems, disabled, onChange }: FieldsProps) => {
  const workspace = useWorkspace().name
  const id = useId()
  const query = useQuery(allSourcesQuery(workspace))
  const set = (sources: readonly string[]): void => onChange({ ...draft, sources })
  const add = (
    <ButtonLink size="sm" to={paths.signalSources(workspace)}>
      Signal sources
    </ButtonLink>
  )
  return (
    <fieldset className="min-w-0 space-y-2">
      <legend className="mb-1.5 text-sm font-medium">Sources</legend>
      <QueryView query={query} skeleton={<Skeleton className="h-10 w-full" />} errorTitle="Failed to load the sources">
        {(all) => {
          // Lists sources for signals first.
          const sources = all.toSorted((one, other) => Number(isOfSignals(other)) - Number(isOfSignals(one)))
          const free = sources.filter(({ name }) => !draft.sources.includes(name))
          return (
            <>
              {draft.sources.length > 0 && (
                <ul
                  aria-label="Chosen sources"
                  className="divide-y divide-line rounded-lg border border-line bg-surface"
                >
                  {draft.sources.map((name) => (
                    <ChosenSource
                      key={name}
                      source={sources.find((each) => each.name === name)}
                      disabled={disabled}
                      onRemove={() => set(draft.sources.filter((each) => each !== name))}
                    />
                  ))}
                </ul>
              )}
              {!disabled && (
                <div className="flex flex-wrap items-center gap-2">
                  <SearchMenu
                    label="Sources"
                    align="start"
                    button={
                      <Button size="sm">
                        <Plus aria-hidden />
                        Add source
                      </Button>
                    }
                    options={free.map((source) => ({
                      value: source.name,
                      title: source.title,
                      note: isOfSignals(source) ? 'Signal source' : source.app.display_name,
                      icon: source.app.extra.app_icon,
                    }))}
                    emptyText="No other sources"
                    onChoose={(name) => set([...draft.sources, name])}
                  />
                  {add}
                </div>
              )}
            </>
          )
        }}
      </QueryView>
      <FieldError id={id} message={problems['sources']} live />
    </fieldset>
  )
}

const AudienceChoice = ({ draft, problems, disabled, onChange }: FieldsProps) => {
  const workspace = useWorkspace().name
  const query = useQuery(audiencesQuery(workspace))
  return (
    <QueryView query={query} skeleton={<Skeleton className="h-10 w-full" />} errorTitle="Failed to load the audiences">
      {(audiences) => (
        <Field label="Audience" required error={problems['audience']}>
          {(control) => (
            <SearchSelect
              label="Audience"
              control={control}
              placeholder="Choose an audience"
              disabled={disabled}
              value={draft.audience}
              options={audiences.map(({ name, title }) => ({ value: name, title }))}
              onChange={(audience) => onChange({ ...draft, audience })}
            />
          )}
        </Field>
      )}
    </QueryView>
  )
}

/** The trigger of a signal: events of sources that meet conditions, or entry into an audience. */
export const TriggerFields = (props: FieldsProps) => {
  const { draft, problems, disabled, onChange } = props
  const fields = useEventFields(draft)
  const audiences = useFlag('audiences')
  const known = useQuery({ ...audiencesQuery(useWorkspace().name), enabled: audiences }).data
  const compared = useMemo(() => conditionFields(fields, known), [fields, known])
  const events = (
    <div className="space-y-5">
      <Sources {...props} />
      <EventList
        label="Events"
        name="trigger.events"
        value={draft.events}
        usual={usualNames}
        error={problems['events']}
        disabled={disabled}
        onChange={(next) => onChange(withEvents(draft, next))}
      />
      <div className="space-y-1.5">
        <h3 className="text-sm font-medium">Conditions</h3>
        <ConditionBuilder
          label="Conditions"
          value={draft.filters}
          fields={compared}
          problems={problems}
          disabled={disabled}
          emptyText="No conditions. Each of these events is a conversion."
          onChange={(filters) => onChange({ ...draft, filters })}
        />
      </div>
    </div>
  )
  if (!audiences && draft.trigger === 'events') return events
  return (
    <RadioCards
      legend="What makes a conversion"
      value={draft.trigger}
      disabled={disabled}
      onChange={(trigger) => onChange({ ...draft, trigger })}
      options={[
        {
          value: 'events',
          title: 'Events',
          text: 'Events of one or more sources, such as an order.',
          children: events,
        },
        {
          value: 'audience',
          title: 'Entry into an audience',
          text: 'A profile that enters an audience, such as qualified leads. Click IDs of the profile are sent with it.',
          children: <AudienceChoice {...props} />,
        },
      ]}
    />
  )
}
