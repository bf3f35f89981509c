#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Measure the shipped networks in evaluation mode, which profiles made before 2026-11-29 lack; minutes to half an hour.
# One core of a CPU: measure_evaluation.sh xeon-1core --threads 1 --clock cpu --repeats 15 --max-seconds 40
# GPU:               measure_evaluation.sh h200 --torch-device cuda --repeats 20
#                    measure_evaluation.sh h200@pytorch-tf32 --torch-device cuda --precision tf32 --repeats 20
#                    measure_evaluation.sh h200@pytorch-fp16 --torch-device cuda --precision fp16 --repeats 20
here=$(dirname "$0")
device=${1:?the name of the device is missing}
shift
own=$here/networks.py
exec "$here/profile_model.py" --device "$device" --mode evaluation --batch 1,32 \
    alexnet googlenet inception_v3 mobilenet_v2 resnet18 resnet50 resnext101_32x8d vgg16 vgg19 \
    "$own:alexnet_parallel" "$own:atari_cnn" "$own:darknet19" "$own:mnist_cnn" "$own:regnet_x_200mf" "$own:tiny_yolo" "$@"
