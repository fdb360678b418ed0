import { useQuery } from '@tanstack/react-query'
import {
  type EventMapping,
  mappingVariables,
  type PlatformOption,
  type SignalPlatformInput,
  type SignalPlatformShown,
  signalPlatformTitles,
} from '@tributary/contract'
import { Plus } from 'lucide-react'
import { useId, useMemo, useState } from 'react'
import { FieldTable } from '../../../components/mapping/field-table.tsx'
import { QueryView } from '../../../components/query-view.tsx'
import { sentence } from '../../../lib/format/text.ts'
import { paths } from '../../../lib/paths.ts'
import { signalPlatformsQuery } from '../../../lib/queries/signal-queries.ts'
import { catalogDestinationsQuery } from '../../../lib/queries/workspace-queries.ts'
import { useWorkspace } from '../../../lib/workspace.ts'
import { AppIcon } from '../../../ui/app-icon.tsx'
import { Badge } from '../../../ui/badge.tsx'
import { Button, ButtonLink } from '../../../ui/button.tsx'
import { cn } from '../../../ui/cn.ts'
import { Field, FieldError } from '../../../ui/forms/field.tsx'
import { Input } from '../../../ui/forms/input.tsx'
import { SlideOver } from '../../../ui/overlays/slide-over.tsx'
import { useOpened } from '../../../ui/overlays/use-opened.ts'
import { EmptyState } from '../../../ui/page/empty-state.tsx'
import { CardSkeleton } from '../../../ui/page/skeleton.tsx'
import { fieldProblems, type SignalDraft, withPlatform } from '../draft.ts'
import { days } from '../signal-words.ts'
import type { FieldsProps } from './fields-props.ts'
import { useEventFields } from './use-event-fields.ts'

/** The variables of a field mapping, in the form that the field editor needs. */
const variables = mappingVariables.map((each) => ({ ...each }))

/**
 * Returns the action with only those fields that users map. The signal fills in the others itself, such as the event
 * name: the preset has no source for them.
 */
const actionOf = ({ action, field_mappings }: PlatformOption): PlatformOption['action'] => ({
  ...action,
  targets: action.targets.filter(
    ({ name, is_required }) => !is_required || field_mappings.some(({ target }) => target.name === name),
  ),
})

/** The mapping of a platform in the form that the field editor uses. */
const mappingOf = (draft: SignalDraft, option: PlatformOption, platform: SignalPlatformInput): EventMapping => ({
  id: 'sign',
  enabled: true,
  event_name: draft.events[0]?.event_name ?? '',
  event_type: draft.trigger === 'audience' ? 'track' : (draft.events[0]?.event_type ?? 'track'),
  filters: [],
  filter_match: 'all',
  destination: option.action.name,
  field_mappings: platform.field_mappings ?? option.field_mappings,
})

const FieldsPanel = ({
  draft,
  option,
  platform,
  disabled,
  onChange,
  onClosed,
}: {
  draft: SignalDraft
  option: PlatformOption
  platform: SignalPlatformInput
  disabled: boolean
  onChange: (platform: SignalPlatformInput) => void
  onClosed: () => void
}) => {
  const { close, dialog } = useOpened(onClosed)
  const fields = useEventFields(draft)
  const mapping = useMemo(() => mappingOf(draft, option, platform), [draft, option, platform])
  return (
    <SlideOver
      {...dialog}
      size="lg"
      title={`What ${option.title} is sent`}
      description="Personal data is normalized and hashed by the rules of the platform. Event ID, value, and currency come from the signal."
      footer={
        <>
          {!disabled && platform.field_mappings !== null && (
            <Button className="mr-auto" onClick={() => onChange({ ...platform, field_mappings: null })}>
              Reset to the preset
            </Button>
          )}
          <Button variant="primary" onClick={close}>
            Done
          </Button>
        </>
      }
    >
      <FieldTable
        destination={{ name: option.destination, app: { display_name: signalPlatformTitles[option.platform] } }}
        mapping={mapping}
        action={actionOf(option)}
        fields={fields}
        variables={variables}
        proposed={option.field_mappings}
        problems={fieldProblems(platform)}
        notes={{}}
        onChange={
          disabled ? undefined : (change) => onChange({ ...platform, field_mappings: change(mapping).field_mappings })
        }
      />
    </SlideOver>
  )
}

const Facts = ({ option }: { option: PlatformOption }) => (
  <p className="text-xs text-ink-3">
    {[
      `At most ${days(option.max_age_days)} old`,
      option.takes_refunds ? 'Takes refunds' : 'Takes no refunds',
      ...(option.api_version === '' ? [] : [`API ${option.api_version}`]),
    ].join(' · ')}
  </p>
)

const Chosen = ({
  draft,
  option,
  platform,
  problem,
  disabled,
  onChange,
}: {
  draft: SignalDraft
  option: PlatformOption
  platform: SignalPlatformInput
  problem: string | undefined
  disabled: boolean
  onChange: (platform: SignalPlatformInput) => void
}) => {
  const id = useId()
  const [maps, setMaps] = useState(false)
  const code = { maxLength: 100, autoComplete: 'off', spellCheck: false, disabled } as const
  const count = (platform.field_mappings ?? option.field_mappings).filter(({ enabled }) => enabled).length
  return (
    <div className="space-y-4 border-t border-line px-4 py-4 sm:pl-11">
      <div className="grid gap-4 sm:grid-cols-2">
        <Field
          label={option.platform === 'google_ads' ? 'Conversion action' : 'Name of the conversion'}
          hint={
            option.event_name === ''
              ? 'Leave empty to use the one of the destination.'
              : `Leave empty for ${option.event_name}.`
          }
        >
          {(control) => (
            <Input
              {...control}
              {...code}
              value={platform.event_name}
              placeholder={option.event_name}
              onChange={({ target }) => onChange({ ...platform, event_name: target.value })}
            />
          )}
        </Field>
        {option.has_test_code && (
          <Field label="Test code" hint="From the test screen of the platform. With it, conversions do not count.">
            {(control) => (
              <Input
                {...control}
                {...code}
                value={platform.test_event_code}
                onChange={({ target }) => onChange({ ...platform, test_event_code: target.value })}
              />
            )}
          </Field>
        )}
      </div>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <Button size="sm" onClick={() => setMaps(true)}>
          {disabled ? 'See fields' : 'Edit fields'}
        </Button>
        <span className="text-xs text-ink-2">
          {count} fields, {platform.field_mappings === null ? 'the preset' : 'your own'}
        </span>
      </div>
      <FieldError id={id} message={problem} live />
      {maps && (
        <FieldsPanel
          draft={draft}
          option={option}
          platform={platform}
          disabled={disabled}
          onChange={onChange}
          onClosed={() => setMaps(false)}
        />
      )}
    </div>
  )
}

/** Slugs of catalog apps that are platforms of signals. */
const platformApps = new Set([
  'catalogDestinations/meta-conversions',
  'catalogDestinations/google-ads',
  'catalogDestinations/google-analytics',
  'catalogDestinations/tiktok-events',
])

/** Links that create a destination of each platform; the entered values stay in this tab. */
const Connect = () => {
  const workspace = useWorkspace().name
  const { data } = useQuery(catalogDestinationsQuery(workspace))
  const apps = (data ?? []).filter(({ name }) => platformApps.has(name))
  return (
    <div className="flex flex-wrap gap-2">
      {apps.map(({ name, title }) => (
        <ButtonLink key={name} size="sm" to={paths.newDestination(workspace, name)}>
          <Plus aria-hidden />
          {title}
        </ButtonLink>
      ))}
    </div>
  )
}

/**
 * One destination to choose as a platform. While it is chosen, its settings are shown. `refusal` is the problem of this
 * platform.
 */
const Option = ({
  option,
  refusal,
  draft,
  problems,
  disabled,
  onChange,
}: FieldsProps & { option: PlatformOption; refusal: string }) => {
  const platform = draft.platforms.find(({ destination }) => destination === option.destination)
  return (
    <li className={cn('rounded-lg border bg-surface', platform === undefined ? 'border-line' : 'border-accent')}>
      <label className="flex cursor-pointer items-start gap-3 px-4 py-3 has-disabled:cursor-default">
        <input
          type="checkbox"
          className="mt-1 size-4 shrink-0 accent-accent"
          checked={platform !== undefined}
          disabled={disabled}
          aria-label={option.title}
          onChange={({ target }) => onChange(withPlatform(draft, option.destination, target.checked))}
        />
        <AppIcon icon={option.app_icon} className="size-6" />
        <span className="min-w-0 flex-1">
          <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
            <span className="min-w-0 truncate text-sm font-medium" title={option.title}>
              {option.title}
            </span>
            <span className="text-xs text-ink-3">{signalPlatformTitles[option.platform]}</span>
            {!option.enabled && <Badge tone="warning">Paused</Badge>}
            {platform !== undefined && platform.test_event_code !== '' && <Badge tone="accent">Test</Badge>}
          </span>
          <Facts option={option} />
          {refusal !== '' && <span className="block text-xs break-words text-danger-ink">{sentence(refusal)}</span>}
          {option.api_notice !== '' && (
            <span className="block text-xs break-words text-warning-ink">{sentence(option.api_notice)}</span>
          )}
        </span>
      </label>
      {platform !== undefined && (
        <Chosen
          draft={draft}
          option={option}
          platform={platform}
          problem={problems[option.destination]}
          disabled={disabled}
          onChange={(next) =>
            onChange({
              ...draft,
              platforms: draft.platforms.map((each) => (each === platform ? next : each)),
            })
          }
        />
      )}
    </li>
  )
}

/**
 * The destinations of advertising platforms. Each chosen one shows its name of the conversion, its test code and its
 * fields.
 */
export const PlatformFields = ({
  draft,
  problems,
  disabled,
  onChange,
  saved,
}: FieldsProps & {
  /** The platforms of a saved signal, with their problems. */
  saved?: readonly SignalPlatformShown[]
}) => {
  const query = useQuery(signalPlatformsQuery(useWorkspace().name, draft.conversion))
  return (
    <QueryView query={query} skeleton={<CardSkeleton />} errorTitle="Failed to load the platforms">
      {(options) =>
        options.length === 0 ? (
          <EmptyState title="Add a platform first" {...(disabled ? {} : { action: <Connect /> })}>
            A signal is sent to destinations of Meta, Google Ads, Google Analytics, or TikTok.{' '}
            {saved === undefined && 'What you entered here is kept while you add one.'}
          </EmptyState>
        ) : (
          <div className="space-y-3">
            <ul aria-label="Platforms" className="space-y-2">
              {options.map((option) => (
                <Option
                  key={option.destination}
                  option={option}
                  refusal={saved?.find(({ destination }) => destination === option.destination)?.problem ?? ''}
                  draft={draft}
                  problems={problems}
                  disabled={disabled}
                  onChange={onChange}
                />
              ))}
            </ul>
            <FieldError id="platforms-error" message={problems['platforms']} live />
            {!disabled && (
              <div className="space-y-1.5">
                <p className="text-sm text-ink-2">
                  {saved === undefined
                    ? 'Add a destination. What you entered here is kept in this tab.'
                    : 'Add a destination.'}
                </p>
                <Connect />
              </div>
            )}
          </div>
        )
      }
    </QueryView>
  )
}
