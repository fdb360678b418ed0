/** Pattern of IDs of projects, with the domain of older ones (cloud.google.com/resource-manager/docs/creating-managing-projects). */
const isProject = /^(?:[a-z][a-z0-9.-]{0,60}:)?[a-z][a-z0-9-]{4,28}[a-z0-9]$/
/** Pattern of names of datasets (cloud.google.com/bigquery/docs/datasets, "Dataset naming"). */
const isDataset = /^\w{1,1024}$/

/** Returns the problem of the setting `project`, if there is one. */
export const projectProblem = (project: string | undefined): Record<string, string> =>
  project === undefined || isProject.test(project)
    ? {}
    : { project: 'Enter the ID of the project, such as my-project-123, not its name or number' }

/** Returns the problem of the setting `dataset`, if there is one. */
export const datasetProblem = (dataset: string | undefined): Record<string, string> =>
  dataset === undefined || dataset === '' || isDataset.test(dataset)
    ? {}
    : { dataset: 'Enter the name of the dataset alone: letters, digits, and underscores' }
