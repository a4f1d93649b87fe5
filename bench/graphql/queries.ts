/** Keys that every machine of the benchmark sends. */
export const keys = ['execution', 'Srpm', 'Xload', 'Fovr', 'program'] as const

/** Machines on a screen of several machines. */
const ofScreen = 10

/** The given number of different subscriptions, as on screens: one machine, some machines, one value of all machines. */
export function distinctQueries(machines: readonly string[], count: number): readonly string[] {
  return Array.from({ length: count }, (_, i) => {
    const nth = Math.floor(i / 10)
    switch (i % 10) {
      case 0:
        return allMachines(nth)
      case 1:
      case 2:
      case 3:
        return someMachines(machines.slice((i * ofScreen) % machines.length).slice(0, ofScreen), i)
      default:
        return oneMachine(machines[i % machines.length] ?? '', i)
    }
  })
}

function allMachines(nth: number): string {
  const key = keys[nth % keys.length]
  return `subscription { currentStates(where: {metricKey: {_eq: "${key}"}}) { a${nth}: machineRef value } }`
}

function someMachines(ids: readonly string[], nth: number): string {
  return `subscription { machines(where: {machineId: {_in: ${JSON.stringify(ids)}}}, order_by: {name: asc}) {
    a${nth}: name currentStates(where: {metricKey: {_in: ["execution", "program"]}}) { metricKey value } } }`
}

function oneMachine(id: string, nth: number): string {
  return `subscription { currentStates(where: {machine: {machineId: {_eq: "${id}"}}}) { a${nth}: metricKey value } }`
}
