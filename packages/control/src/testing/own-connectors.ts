import { ownDescription } from '@tributary/connector-kit/testing-own-connector'
import { methods } from '@tributary/contract'
import { type Caller, type Harness, idIn, type Organization } from './control-harness.ts'

/** Returns the text of the small description with these members instead. */
export const ownText = (change: object = {}): string => JSON.stringify({ ...ownDescription(), ...change })

/** Creates an own connector from a text, and publishes it. Returns its ID. */
export const publishOwn = async (workspace: string, editor: Caller, file = ownText()): Promise<string> => {
  const made = await editor.ok(methods.ownConnectors.create, { workspace }, { body: { file } })
  const own_connector = idIn(made.name)
  await editor.ok(methods.ownConnectors.publish, { workspace, own_connector }, { body: {} })
  return own_connector
}

/** Makes the only own connector of a workspace, published once, with a draft that differs. Returns its ID. */
export const makeOwnConnector = async (
  harness: Harness,
  { workspaceId: workspace, administrator }: Organization,
): Promise<string> => {
  await harness.db.deleteFrom('own_connectors').where('workspace_id', '=', workspace).execute()
  const own_connector = await publishOwn(workspace, administrator)
  const body = { description: ownText({ title: 'Next' }) }
  await administrator.ok(methods.ownConnectors.update, { workspace, own_connector }, { body })
  return own_connector
}
