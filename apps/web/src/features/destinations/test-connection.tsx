import type { Destination } from '@tributary/contract'
import { TestConnection } from '../../components/test-connection.tsx'
import { Card } from '../../ui/card.tsx'
import { useTestConnection } from './mutations.ts'

/** A button that tests the URL and credentials of a destination, and shows the result. */
export const TestDestination = ({ destination }: { destination: Destination }) => (
  <TestConnection test={useTestConnection(destination.name)} />
)

/** A card that tests the URL and credentials of a destination. */
export const TestConnectionCard = ({ destination }: { destination: Destination }) => (
  <Card title="Test" description="Checks the saved address and credentials. No event is sent and nothing changes.">
    <TestDestination destination={destination} />
  </Card>
)
