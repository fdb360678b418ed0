/** Returns a shell command with which an orchestrator starts a sync with a token, and then reads the run. */
export const apiExample = (origin: string, token: string, sync: string): string =>
  [
    `curl -X POST -H "Authorization: Bearer ${token}" ${origin}/syncs/v1/${sync}/runs`,
    `curl -H "Authorization: Bearer ${token}" ${origin}/syncs/v1/${sync}/runs/RUN_ID`,
  ].join('\n')
