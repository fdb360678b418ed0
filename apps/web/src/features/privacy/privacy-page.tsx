import { Plus } from 'lucide-react'
import { useState } from 'react'
import { type NewPrivacyRequest, usePrivacyRequest } from '../../components/use-privacy-request.ts'
import { count, pluralise } from '../../lib/format/text.ts'
import { useWorkspace } from '../../lib/workspace.ts'
import { Button } from '../../ui/button.tsx'
import { DangerDialog } from '../../ui/overlays/danger-dialog.tsx'
import { PageHeader } from '../../ui/page/page-header.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { NewRequestDialog } from './new-request-form.tsx'
import { RequestsTab } from './requests-tab.tsx'
import { SuppressedTab } from './suppressed-tab.tsx'

/** Asks for confirmation, and says what cannot be undone. */
const ConfirmRequest = ({ request, onClosed }: { request: NewPrivacyRequest; onClosed: () => void }) => {
  const create = usePrivacyRequest(useWorkspace().name)
  const number = request.identifiers.length
  const users = `${pluralise(number, 'user')} with ${number === 1 ? 'this identifier' : `these ${count(number)} identifiers`}`
  const suppresses = request.kind === 'suppress'
  return (
    <DangerDialog
      title={suppresses ? 'Suppress users' : 'Delete users'}
      confirmLabel={suppresses ? 'Suppress' : 'Delete permanently'}
      mutation={create}
      variables={request}
      onClosed={onClosed}
    >
      {suppresses
        ? `Later events of the ${users} will no longer update a profile. You can lift a suppression.`
        : `The profiles, traits, history, stored events, and deliveries of the ${users} will be deleted. This can't be undone.`}
    </DangerDialog>
  )
}

/** The privacy requests with their progress, and the suppressed users. */
export const PrivacyPage = () => {
  const [filling, setFilling] = useState(false)
  const [asked, setAsked] = useState<NewPrivacyRequest | undefined>()
  const action = (
    <Button variant="primary" onClick={() => setFilling(true)}>
      <Plus aria-hidden />
      New request
    </Button>
  )
  return (
    <>
      <PageHeader title="Privacy" description="Delete or suppress users of this workspace." action={action} />
      <Tabs
        browsable
        label="Privacy"
        tabs={[
          { id: 'requests', name: 'Requests', content: <RequestsTab action={action} /> },
          { id: 'suppressed', name: 'Suppressed', hash: 'suppressed', content: <SuppressedTab /> },
        ]}
      />
      <NewRequestDialog
        open={filling}
        onClose={() => setFilling(false)}
        onAsk={(request) => {
          setFilling(false)
          setAsked(request)
        }}
      />
      {asked !== undefined && <ConfirmRequest request={asked} onClosed={() => setAsked(undefined)} />}
    </>
  )
}
