import { useMutation, useQueryClient } from '@tanstack/react-query'
import { methods, type SettingValue, type Source, title as titleRule } from '@tributary/contract'
import { useState } from 'react'
import { ReadOnlyNote } from '../../components/settings/read-only-note.tsx'
import { SettingsCard } from '../../components/settings/settings-card.tsx'
import { TitleCard } from '../../components/settings/title-card.tsx'
import { useDeletedSyncs } from '../../components/syncs-of.tsx'
import { call } from '../../lib/api/client.ts'
import { sourceIds } from '../../lib/format/names.ts'
import { track } from '../../lib/integrations/analytics.ts'
import { useFlag } from '../../lib/integrations/flags.ts'
import { sourceQuery } from '../../lib/queries/workspace-queries.ts'
import { settingNotice } from '../../lib/settings/setting-values.ts'
import { useMayEdit } from '../../lib/workspace.ts'
import { Card } from '../../ui/card.tsx'
import { Switch } from '../../ui/forms/switch.tsx'
import { notify } from '../../ui/overlays/toast.tsx'
import { DeleteCard } from '../../ui/page/delete-card.tsx'
import { useDeleteSource, useUpdateSource } from './mutations.ts'
import { sourcePlaces } from './source-places.ts'
import { sampleBody, TemplatePreview } from './template-preview.tsx'

/** Changes one setting of a source's app. */
const useUpdateSourceSetting = (source: Source) => {
  const cache = useQueryClient()
  const key = sourceQuery(source.name).queryKey
  return useMutation({
    mutationFn: (body: { name: string; value: SettingValue }) =>
      call(methods.sources.updateSetting, { params: sourceIds(source.name), body }),
    onSuccess: (updated, { name }) => {
      track('Source Updated', { source: source.name, fields: [`settings.${name}`] })
      const before = cache.getQueryData(key)
      if (before !== undefined) cache.setQueryData(key, { ...before, ...updated })
      notify('success', 'Setting Updated', settingNotice(updated.app, name))
    },
    onSettled: () => void cache.invalidateQueries({ queryKey: key }),
  })
}

const EnabledCard = ({ source, mayEdit }: { source: Source; mayEdit: boolean }) => {
  const update = useUpdateSource(source)
  return (
    <Card
      title="Receive events"
      description={
        source.enabled
          ? "Requests with this source's write keys are accepted."
          : 'This source is disabled. Requests with its write keys are refused with status 404.'
      }
      action={
        <Switch
          checked={source.enabled}
          disabled={!mayEdit || update.isPending}
          label="Receive events"
          onChange={(enabled) => update.mutate({ enabled })}
        />
      }
      className="pb-4"
    />
  )
}

const AppSettings = ({ source, mayEdit }: { source: Source; mayEdit: boolean }) => {
  const update = useUpdateSourceSetting(source)
  // Stored in the tab, because saving a setting renders its row anew.
  const [body, setBody] = useState(sampleBody)
  return (
    <SettingsCard
      description="Each setting is saved separately and applies to new events."
      settings={source.app.settings}
      mayEdit={mayEdit}
      onSave={update.mutateAsync}
      below={(setting, draft, change) =>
        setting.type === 'template' &&
        mayEdit && (
          <TemplatePreview
            source={source}
            template={typeof draft === 'string' ? draft : ''}
            body={body}
            onBody={setBody}
            onTemplate={change}
          />
        )
      }
    />
  )
}

/** Title, settings, switch, and deletion of a source. */
export const SettingsTab = ({ source }: { source: Source }) => {
  const mayEdit = useMayEdit() === true
  const update = useUpdateSource(source)
  const remove = useDeleteSource(source)
  const withSyncs = useFlag('syncs')
  const deleted = useDeletedSyncs((sync) => sync.destination.name === source.name)
  return (
    <div className="max-w-2xl space-y-5">
      <ReadOnlyNote />
      <TitleCard
        key={source.title}
        title={source.title}
        rule={titleRule}
        mayEdit={mayEdit}
        onSave={(title) => update.mutateAsync({ title })}
      />
      {source.app.settings.length > 0 && <AppSettings source={source} mayEdit={mayEdit} />}
      <EnabledCard source={source} mayEdit={mayEdit} />
      {mayEdit && (
        <DeleteCard
          label="Delete source"
          description="Its write keys stop working immediately and its connections are removed."
          mutation={remove}
          list={sourcePlaces(`workspaces/${sourceIds(source.name).workspace}`, source.target_product).list.to}
          checking={deleted === undefined}
        >
          Are you sure you want to delete the {source.title} source{withSyncs && ' along with all its associated syncs'}
          ? {deleted}
        </DeleteCard>
      )}
    </div>
  )
}
