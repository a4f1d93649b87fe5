/**
 * Ids in the examples of the OpenAPI document. They are consistent: a record that one example creates is used by other
 * examples.
 */
export const exampleIds = {
  machine: '8a1c1f3e-6a0f-4c3e-9a51-9d1d5b1f2f10',
  erpMachine: 'LATHE-1',
  machineGroup: 'lathes',
  schedule: 'two-shifts',
  operator: 'ann',
  operatorRun: '2f0c7a52-8a53-4a52-9a7e-1f6f3f2b7c01',
  downtimeReason: 10,
  annotation: '5b7d8a90-4a43-4f5c-8f0a-7d5b1f9b6e02',
  partAdjustmentType: 20,
  partAdjustment: '9e0b2c44-3d0a-4f0e-b0c2-6c0f4a8d1e03',
  jobOperation: 'J-1001-10',
  jobRun: 'R-1001',
  connector: 'lathes-agent',
  alertTarget: 'chat',
  alertRule: 'long-stop',
  alertPause: 'maintenance',
  delivery: '3d5f7a91-2b4c-4d6e-8f10-6a7b8c9d0e07',
  incident: '7c1e9b52-3f0d-4a6b-8d21-5e4f3a2b1c06',
  apiKey: 'c1d2a3b4-5e6f-4a7b-8c9d-0e1f2a3b4c04',
  user: 'd4c3b2a1-6f5e-4b7a-9d8c-1f0e2b3a4d05',
  file: 1,
} as const
