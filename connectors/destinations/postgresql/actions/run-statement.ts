import { defineAction } from '@tributary/connector-kit'

export const runStatementAction = defineAction({
  name: 'run_statement',
  title: 'Run statement',
  description: 'Runs the custom SQL statement with the event as parameters.',
  customTargets: true,
  wholeEvent: true,
  fields: {},
})
