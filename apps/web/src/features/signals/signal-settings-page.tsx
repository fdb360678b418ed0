import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { defaultConsentPath, eventPath, methods, type SignalSettings, withoutConsentChoices } from '@tributary/contract'
import { useState } from 'react'
import { QueryView } from '../../components/query-view.tsx'
import { ReadOnlyNote } from '../../components/settings/read-only-note.tsx'
import { call } from '../../lib/api/client.ts'
import { failureText } from '../../lib/api/errors.ts'
import { workspaceIds } from '../../lib/format/names.ts'
import { paths } from '../../lib/paths.ts'
import { signalSettingsQuery } from '../../lib/queries/signal-queries.ts'
import { useMayEdit, useWorkspace } from '../../lib/workspace.ts'
import { Alert } from '../../ui/alert.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { notify } from '../../ui/overlays/toast.tsx'
import { PageHeader } from '../../ui/page/page-header.tsx'
import { CardSkeleton } from '../../ui/page/skeleton.tsx'
import { PathField } from './fields/path-field.tsx'
import { RadioCards } from './fields/radio-cards.tsx'

/** Changes the settings for all signals of a workspace. */
const useUpdateSignalSettings = (workspace: string) => {
  const cache = useQueryClient()
  return useMutation({
    mutationFn: ({ without_consent, consent_path }: Pick<SignalSettings, 'without_consent' | 'consent_path'>) =>
      call(methods.signalSettings.update, {
        params: workspaceIds(workspace),
        query: { update_mask: 'without_consent,consent_path' },
        body: { without_consent, consent_path },
      }),
    onSuccess: (saved) => {
      cache.setQueryData(signalSettingsQuery(workspace).queryKey, saved)
      notify('success', 'Settings Saved')
    },
  })
}

const choices: Readonly<Record<SignalSettings['without_consent'], { title: string; text: string }>> = {
  send: {
    title: 'Send them',
    text: 'For users whose consent is not needed, or is asked for before the event is sent.',
  },
  leave_out: { title: 'Do not send them', text: 'Only events that say the user consented are sent.' },
}

const usualPaths = [defaultConsentPath, 'context.consent.categoryPreferences.marketing', 'properties.consent'].map(
  (name) => ({ name, display_name: name, kind: 'context', type: 'boolean', example: '' }) as const,
)

const Consent = ({ settings }: { settings: SignalSettings }) => {
  const mayEdit = useMayEdit() === true
  const update = useUpdateSignalSettings(useWorkspace().name)
  const [value, setValue] = useState({
    without_consent: settings.without_consent,
    consent_path: settings.consent_path,
  })
  const problem = eventPath.safeParse(value.consent_path.trim()).error?.issues[0]?.message
  const changed =
    value.without_consent !== settings.without_consent || value.consent_path.trim() !== settings.consent_path
  return (
    <Card
      title="Consent"
      description="The event's own consent decides. Without consent, a conversion is not sent, or is sent as the platform asks for it. Applies from the next event."
      {...(mayEdit
        ? {
            footer: (
              <>
                {update.isError && (
                  <Alert className="mr-auto min-w-0 text-xs break-words">{failureText(update.error)}</Alert>
                )}
                <Button
                  disabled={!changed || problem !== undefined}
                  loading={update.isPending}
                  onClick={() => update.mutate({ ...value, consent_path: value.consent_path.trim() })}
                >
                  Save
                </Button>
              </>
            ),
          }
        : {})}
    >
      <div className="space-y-5">
        <PathField
          label="Where events say it"
          required
          hint="True and granted are consent. Any other value is none."
          value={value.consent_path}
          placeholder={defaultConsentPath}
          fields={usualPaths}
          error={problem}
          disabled={!mayEdit}
          onChange={(consent_path) => setValue({ ...value, consent_path })}
        />
        <div className="space-y-1.5">
          <h3 className="text-sm font-medium">Events that say nothing of consent</h3>
          <RadioCards
            legend="Events that say nothing of consent"
            value={value.without_consent}
            disabled={!mayEdit}
            onChange={(without_consent) => setValue({ ...value, without_consent })}
            options={withoutConsentChoices.map((choice) => ({ value: choice, ...choices[choice] }))}
          />
        </div>
      </div>
    </Card>
  )
}

/** The settings for all signals of the workspace: consent. */
export const SignalSettingsPage = () => {
  const workspace = useWorkspace().name
  const query = useQuery(signalSettingsQuery(workspace))
  return (
    <>
      <PageHeader
        title="Signal settings"
        description="What holds for all signals of this workspace."
        crumbs={[{ label: 'Signals', to: paths.signals(workspace) }]}
      />
      <div className="max-w-2xl space-y-5">
        <ReadOnlyNote />
        <QueryView query={query} skeleton={<CardSkeleton lines={5} />} errorTitle="Failed to load the settings">
          {(settings) => <Consent key={`${settings.without_consent} ${settings.consent_path}`} settings={settings} />}
        </QueryView>
      </div>
    </>
  )
}
