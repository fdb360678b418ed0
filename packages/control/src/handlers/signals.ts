import { type Handlers } from '@tributary/http'
import { createSignal } from '../signals/create.ts'
import { deleteSignal } from '../signals/delete.ts'
import { deleteSignalDraft } from '../signals/drafts/delete.ts'
import { getSignalDraft } from '../signals/drafts/get.ts'
import { updateSignalDraft } from '../signals/drafts/update.ts'
import { getSignal } from '../signals/get.ts'
import { exportAttribution, getAttribution } from '../signals/get-attribution.ts'
import { getSignalOverview } from '../signals/get-overview.ts'
import { getSignalQuality } from '../signals/get-quality.ts'
import { listSignals } from '../signals/list.ts'
import { listConversions } from '../signals/list-conversions.ts'
import { listSignalPlatforms } from '../signals/list-platforms.ts'
import { previewSignal } from '../signals/preview.ts'
import { disableSignal, enableSignal } from '../signals/set-enabled.ts'
import { getSignalSettings, updateSignalSettings } from '../signals/settings.ts'
import { updateSignal } from '../signals/update.ts'
import { uploadConversions } from '../signals/upload-conversions.ts'
import type { HandlerDeps } from './deps.ts'

/** Makes the handlers of the methods about signals. */
export const signalHandlers = (deps: HandlerDeps): Pick<Handlers, 'signals' | 'signalSettings' | 'signalDrafts'> => ({
  signals: {
    list: listSignals(deps),
    get: getSignal(deps),
    create: createSignal(deps),
    update: updateSignal(deps),
    delete: deleteSignal(deps),
    enable: enableSignal(deps),
    disable: disableSignal(deps),
    listPlatforms: listSignalPlatforms(deps),
    preview: previewSignal(deps),
    getQuality: getSignalQuality(deps),
    getOverview: getSignalOverview(deps),
    listConversions: listConversions(deps),
    uploadConversions: uploadConversions(deps),
    getAttribution: getAttribution(deps),
    exportAttribution: exportAttribution(deps),
  },
  signalSettings: { get: getSignalSettings(deps), update: updateSignalSettings(deps) },
  signalDrafts: { get: getSignalDraft(deps), update: updateSignalDraft(deps), delete: deleteSignalDraft(deps) },
})
